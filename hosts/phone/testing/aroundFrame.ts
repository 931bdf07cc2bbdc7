/** Runs in the page around the frame of an app: a mouse that leaves the frame is the app's until it is released. */
import { tellOfMouseBeyond } from "../touch/mouseBeyond.ts"

tellOfMouseBeyond(() => document.querySelector("iframe") ?? undefined)
