// The README's component alone on a page, before the server that the address names.
import { createRoot } from "react-dom/client";
import { Tools } from "./tools-readme.tsx";

const url = new URLSearchParams(location.search).get("url");
createRoot(document.getElementById("root")).render(<Tools url={url} />);
