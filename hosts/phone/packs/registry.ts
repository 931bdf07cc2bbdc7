import type { Pack } from "../modules/Host.ts"
import { adaptedViews } from "./adaptedViews.ts"
import { controls } from "./controls.ts"
import { expo } from "./expo.ts"
import { gestureHandler } from "./gestureHandler.ts"
import { keyboardController } from "./keyboardController.ts"
import { lottie } from "./lottie.ts"
import { maps } from "./maps.ts"
import { maskedView } from "./maskedView.ts"
import { pagerView } from "./pagerView.ts"
import { permissions } from "./permissions.ts"
import { safeArea } from "./safeArea.ts"
import { screens } from "./screens.ts"
import { services } from "./services.ts"
import { loadScript } from "../runtime/optionalScripts.ts"
import { simpleModules } from "./simpleModules.ts"
import { sqlite } from "./sqlite.ts"
import { storage } from "./storage.ts"
import { svg } from "./svg.ts"
import { tabs } from "./tabs.ts"
import { unistyles } from "./unistyles.ts"
import { video } from "./video.ts"
import { webview } from "./webview.ts"
import { worklets } from "./worklets.ts"

/** The libraries whose native part the phone has. Any of them can be removed: none needs another. That of Skia is added for an app that has it. */
export const packs: Array<Pack> = [
  ...adaptedViews,
  ...controls,
  expo,
  gestureHandler,
  keyboardController,
  lottie,
  maps,
  maskedView,
  pagerView,
  ...permissions,
  safeArea,
  screens,
  ...services,
  ...simpleModules,
  ...sqlite,
  ...storage,
  svg,
  ...tabs,
  unistyles,
  video,
  webview,
  worklets
]

declare global {
  interface Window {
    /** Set by `skia.ts`. */
    skiaPack?: Pack
  }
}

/** Adds the pack of Skia, by a script that calls `provideSkia`. */
export const loadSkia = async (url: string): Promise<void> => {
  const missing = "Skia could not be loaded: its canvases are not drawn."
  await loadScript(url, missing)
  if (window.skiaPack === undefined) throw new Error(missing)
  packs.push(window.skiaPack)
}
