// Callbacks with which someone else tries to finish or to take over a sign-in.

/**
 * Returns forged callbacks for a sign-in with `state` that was begun at `issuer`. `other` is another issuer, and `theirs` the
 * state of another caller.
 */
export function forgedCallbacks({ redirectUri, state, theirs, issuer, other, code }) {
  const url = (parameters) => `${redirectUri}?${new URLSearchParams(parameters)}`;
  const good = { code, state, iss: issuer };
  const repeated = (name, ...values) => {
    const rest = Object.entries(good).filter(([key]) => key !== name);
    return url([...rest, ...values.map((value) => [name, value])]);
  };
  return [
    ["no state", url({ code, iss: issuer })],
    ["an empty state", url({ ...good, state: "" })],
    ["the state of another caller", url({ ...good, state: theirs })],
    ["a fixed state", url({ ...good, state: "state" })],
    ["a longer state", url({ ...good, state: `${state}0` })],
    ["a shorter state", url({ ...good, state: state.slice(0, -1) })],
    [
      "a state in other case",
      url({ ...good, state: state.toUpperCase() === state ? state.toLowerCase() : state.toUpperCase() }),
    ],
    ["two states, the right one first", repeated("state", state, theirs)],
    ["two states, the right one last", repeated("state", theirs, state)],
    ["the state in the fragment", `${url({ code, iss: issuer })}#state=${state}`],
    ["the state under another name", url({ code, iss: issuer, State: state })],
    ["another issuer", url({ ...good, iss: other })],
    ["another issuer in its error", url({ state, iss: other, error: "access_denied" })],
    ["no issuer", url({ code, state })],
    ["an empty issuer", url({ ...good, iss: "" })],
    ["the issuer with a slash", url({ ...good, iss: `${issuer}/` })],
    ["a path of the issuer", url({ ...good, iss: `${issuer}/tenant` })],
    ["the issuer in other case", url({ ...good, iss: issuer.toUpperCase() })],
    ["two issuers, the right one first", repeated("iss", issuer, other)],
    ["two issuers, the right one last", repeated("iss", other, issuer)],
    ["two codes", repeated("code", code, "another-code")],
    ["no code", url({ state, iss: issuer })],
    ["an error beside a code", url({ ...good, error: "access_denied" })],
    ["a signed response", url({ ...good, response: "a.b.c" })],
    ["a token of the implicit flow", url({ state, iss: issuer, token: "their-token" })],
    ["an ID token of the hybrid flow", url({ ...good, id_token: "a.b.c" })],
  ];
}
