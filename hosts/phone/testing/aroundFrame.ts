/** Runs in the page around the frame of an app: a mouse that leaves the frame is the app's until it is released. */
import { reportOutsideMouse } from "../touch/outsideMouse.ts"

reportOutsideMouse(() => document.querySelector("iframe") ?? undefined)
