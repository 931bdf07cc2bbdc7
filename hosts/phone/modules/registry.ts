import { accessibility } from "./accessibility.ts"
import { device } from "./device.ts"
import { dialogs } from "./dialogs.ts"
import { dom } from "./dom.ts"
import { errors } from "./errors.ts"
import type { Modules } from "./Host.ts"
import { images } from "./images.ts"
import { keyboard } from "./keyboard.ts"
import { network } from "./network.ts"
import { performanceTimeline } from "./timeline.ts"
import { personal } from "./personal.ts"

/** The native modules of React Native itself. */
export const modules: ReadonlyArray<Modules> = [
  accessibility,
  device,
  dialogs,
  dom,
  errors,
  images,
  keyboard,
  network,
  performanceTimeline,
  personal
]
