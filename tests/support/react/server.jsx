// The host as a server renders it, without an element and without a page.
import { renderToString } from "react-dom/server";
import { Sieve } from "mcp-sieve";
import { Host, catalogs } from "./host.jsx";

console.log(
  renderToString(<Host sieve={Sieve.compile(catalogs[0])} filter={{ groups: ["mail"] }} onChange={() => {}} />),
);
