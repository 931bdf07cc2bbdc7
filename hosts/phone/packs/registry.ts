import type { Pack } from "../modules/Pack.ts"
import { asyncStorage } from "./async-storage/asyncStorage.ts"
import { expo } from "./expo/expo.ts"
import { gestureHandler } from "./gesture-handler/gestureHandler.ts"
import { keyboardController } from "./keyboard-controller/keyboardController.ts"
import { mmkv } from "./mmkv/mmkv.ts"
import { nitro } from "./nitro/nitro.ts"
import { restart } from "./restart/restart.ts"
import { safeArea } from "./safe-area-context/safeArea.ts"
import { screens } from "./screens/screens.ts"
import { svg } from "./svg/svg.ts"
import { worklets } from "./worklets/worklets.ts"

/** The libraries whose native part the phone has. Any of them can be removed: none needs another. */
export const packs: ReadonlyArray<Pack> = [
  asyncStorage,
  expo,
  gestureHandler,
  keyboardController,
  mmkv,
  nitro,
  restart,
  safeArea,
  screens,
  svg,
  worklets
]
