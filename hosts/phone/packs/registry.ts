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
import { simpleModules } from "./simpleModules.ts"
import { storage } from "./storage.ts"
import { svg } from "./svg.ts"
import { tabs } from "./tabs.ts"
import { unistyles } from "./unistyles.ts"
import { video } from "./video.ts"
import { webview } from "./webview.ts"
import { worklets } from "./worklets.ts"

/** The libraries whose native part the phone has. Any of them can be removed: none needs another. */
export const packs: ReadonlyArray<Pack> = [
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
  ...storage,
  svg,
  ...tabs,
  unistyles,
  video,
  webview,
  worklets
]
