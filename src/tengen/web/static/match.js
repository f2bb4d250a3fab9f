// A match, or several, as they are played.

import { showWatched } from "./run.js";

export const show = (main, [id]) => showWatched(main, "match", id);
