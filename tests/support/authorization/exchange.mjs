// The token exchange (RFC 8693), which `oidc-provider` leaves to its users.
import { jwtVerify } from "jose";
import { errors } from "oidc-provider";

export const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const PARAMETERS = ["audience", "resource", "scope", "subject_token", "subject_token_type", "requested_token_type"];

/** Returns the handler of the grant and its parameters. The subject is an access token of the same server. */
export function exchangeHandler(provider, { resourceServer, publicKey, issuer }) {
  const handle = async (ctx) => {
    const { params, client } = ctx.oidc;
    if (params.subject_token_type !== ACCESS_TOKEN) throw new errors.InvalidRequest("unknown type of subject token");
    let subject;
    try {
      subject = (await jwtVerify(params.subject_token, publicKey, { issuer })).payload;
    } catch {
      throw new errors.InvalidRequest("the subject token is not valid");
    }
    const resource = params.resource ?? params.audience;
    if (!resource) throw new errors.InvalidTarget("name a resource");
    const info = resourceServer(resource);
    const token = new provider.AccessToken({ accountId: subject.sub, client, gty: "token_exchange" });
    token.resourceServer = new provider.ResourceServer(resource, info);
    token.scope = params.scope ?? info.scope;
    ctx.body = {
      access_token: await token.save(),
      issued_token_type: ACCESS_TOKEN,
      token_type: "Bearer",
      expires_in: token.expiration,
      scope: token.scope,
    };
  };
  return [handle, PARAMETERS, []];
}
