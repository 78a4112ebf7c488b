// A package registry on this machine, from which npm fetches locally installed packages and their dependencies.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import "./home.mjs";

const run = promisify(execFile);

/**
 * Serves the packages `names` of the folder `modules`, at each version that is there. The first one found is the latest. `fetched`
 * has the names whose tarballs were fetched.
 */
export async function startRegistry(modules, names) {
  const packages = new Map();
  for (const name of names) collect(join(modules, name), packages);
  const fetched = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://registry").pathname).slice(1);
    const [name, tarball] = path.split("/-/");
    const versions = packages.get(name);
    const found = versions?.get(tarball?.replace(/\.tgz$/, "") ?? versions.keys().next().value);
    if (found === undefined) return response.writeHead(404, { "content-type": "application/json" }).end("{}");
    if (tarball === undefined) {
      const dist = (version) => ({ tarball: `http://${request.headers.host}/${name}/-/${version}.tgz` });
      const listed = [...versions].map(([version, { manifest }]) => [version, { ...manifest, dist: dist(version) }]);
      return response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          name,
          "dist-tags": { latest: found.manifest.version },
          versions: Object.fromEntries(listed),
        }),
      );
    }
    fetched.push(name);
    const { stdout } = await run(
      "tar",
      ["czf", "-", "--exclude=./node_modules", "--transform=s,^\\.,package,", "-C", found.folder, "."],
      { encoding: "buffer", maxBuffer: 2 ** 28 },
    );
    return response.writeHead(200, { "content-type": "application/octet-stream" }).end(stdout);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    fetched,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Adds a package and all its dependencies, which are resolved from its folder as in Node. */
function collect(folder, packages) {
  const real = realpathSync(folder);
  const manifest = JSON.parse(readFileSync(join(real, "package.json"), "utf8"));
  const versions = packages.get(manifest.name) ?? new Map();
  if (versions.has(manifest.version)) return;
  packages.set(manifest.name, versions.set(manifest.version, { folder: real, manifest }));
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    let from = real;
    while (!existsSync(join(from, "node_modules", name, "package.json"))) from = dirname(from);
    collect(join(from, "node_modules", name), packages);
  }
}
