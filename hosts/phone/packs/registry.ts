import { asyncStorage } from "./asyncStorage.ts"
import { expo } from "./expo/expo.ts"
import { gestureHandler } from "./gestureHandler.ts"
import { keyboardController } from "./keyboardController.ts"
import { mmkv } from "./mmkv.ts"
import { nativeTabs } from "./nativeTabs.ts"
import { nitro } from "./nitro.ts"
import type { Pack } from "../modules/Pack.ts"
import { restart } from "./restart.ts"
import { safeArea } from "./safeArea.ts"
import { screens } from "./screens.ts"
import { svg } from "./svg.ts"
import { worklets } from "./worklets/worklets.ts"

const known: ReadonlyArray<Pack> = [
  asyncStorage,
  expo,
  gestureHandler,
  keyboardController,
  mmkv,
  nativeTabs,
  restart,
  safeArea,
  screens,
  svg,
  worklets
]

/** The packages whose native part the phone has. */
export const packs: ReadonlyArray<Pack> = [...known, nitro(known)]
