// @ts-check
// The page of what goes beyond a choice of tools.
import "./copy.js";
import "./request.js";
import "./tasks.js";
import "./middleware.js";
