# The gateway on workerd, on a machine of your own, from a clone:
#   make package && docker build -t mcp-sieve .
#   docker run -p 127.0.0.1:8787:8787 -e UPSTREAM_URL=https://example.com/mcp -v sieve:/data mcp-sieve
# The gateway listens on all addresses of the container. With `-p 8787:8787` everyone who can reach the machine can use it, with
# the credentials that its configuration holds: add `auth`, `checks` or -e SIEVE_BEARER=TOKEN first. The log of the container
# warns of this, and names what protects the gateway, or that nothing does.
# Rules: -v ./config:/config:ro, a folder with sieve.jsonc, or -e SIEVE_CONFIG='{…}'. Mount the folder: editors replace the file by
# another, and a container keeps the one that it mounted. Behind a name of your own: -e SIEVE_HOSTS=mcp.example.com
# The user `node` (1000) has to own a folder of the host that is mounted as /data. With --read-only, add --tmpfs /tmp.
# A node of a cluster is started by another command, as examples/cluster does:
#   docker run … mcp-sieve mcp-sieve run --host 0.0.0.0 --data /data --cluster s3://my-bucket/gateway
# The digest is that of the index for all platforms. `docker buildx imagetools inspect node:22-trixie-slim` prints the newest.
FROM node:22-trixie-slim@sha256:7b8a0c89c54499bee567618f96578e1a12a800f062fbdbfd1fb6a443fa6f6284
# The tarball is what `make package` wrote.
RUN --mount=type=bind,source=build,target=/packed npm install --global --no-audit --no-fund /packed/mcp-sieve-0.1.0.tgz workerd@1.20261117.1
RUN mkdir /config /data && chown node /data
USER node
WORKDIR /config
VOLUME /data
EXPOSE 8787
HEALTHCHECK --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM stops the gateway in order. A sieve.jsonc in /config is used and watched.
CMD ["mcp-sieve", "dev", "--host", "0.0.0.0", "--port", "8787", "--data", "/data"]
