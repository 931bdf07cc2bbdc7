import type { Pack } from "../modules/Pack.ts"
import { asyncStorage } from "./async-storage/asyncStorage.ts"
import { blur } from "./blur/blur.ts"
import { bootsplash } from "./bootsplash/bootsplash.ts"
import { bottomTabs } from "./bottom-tabs/bottomTabs.ts"
import { clipboard } from "./clipboard/clipboard.ts"
import { config } from "./config/config.ts"
import { dateTimePicker } from "./datetimepicker/dateTimePicker.ts"
import { deviceInfo } from "./device-info/deviceInfo.ts"
import { expo } from "./expo/expo.ts"
import { fastImage } from "./fast-image/fastImage.ts"
import { firebase } from "./firebase/firebase.ts"
import { flashList } from "./flash-list/flashList.ts"
import { fs } from "./fs/fs.ts"
import { gestureHandler } from "./gesture-handler/gestureHandler.ts"
import { getRandomValues } from "./get-random-values/getRandomValues.ts"
import { hapticFeedback } from "./haptic-feedback/hapticFeedback.ts"
import { imagePicker } from "./image-picker/imagePicker.ts"
import { keyboardController } from "./keyboard-controller/keyboardController.ts"
import { keychain } from "./keychain/keychain.ts"
import { linearGradient } from "./linear-gradient/linearGradient.ts"
import { localize } from "./localize/localize.ts"
import { lottie } from "./lottie/lottie.ts"
import { maps } from "./maps/maps.ts"
import { maskedView } from "./masked-view/maskedView.ts"
import { mmkv } from "./mmkv/mmkv.ts"
import { netinfo } from "./netinfo/netinfo.ts"
import { nitro } from "./nitro/nitro.ts"
import { notifee } from "./notifee/notifee.ts"
import { opSqlite } from "./op-sqlite/opSqlite.ts"
import { pagerView } from "./pager-view/pagerView.ts"
import { permissions } from "./permissions/permissions.ts"
import { picker } from "./picker/picker.ts"
import { purchases } from "./purchases/purchases.ts"
import { restart } from "./restart/restart.ts"
import { safeArea } from "./safe-area-context/safeArea.ts"
import { screens } from "./screens/screens.ts"
import { segmentedControl } from "./segmented-control/segmentedControl.ts"
import { sentry } from "./sentry/sentry.ts"
import { share } from "./share/share.ts"
import { skia } from "./skia/skia.ts"
import { slider } from "./slider/slider.ts"
import { sqliteStorage } from "./sqlite-storage/sqliteStorage.ts"
import { svg } from "./svg/svg.ts"
import { unistyles } from "./unistyles/unistyles.ts"
import { video } from "./video/video.ts"
import { visionCamera } from "./vision-camera/visionCamera.ts"
import { webview } from "./webview/webview.ts"
import { worklets } from "./worklets/worklets.ts"

/** The libraries whose native part the phone has. Any of them can be removed: none needs another. */
export const packs: ReadonlyArray<Pack> = [
  asyncStorage,
  blur,
  bootsplash,
  bottomTabs,
  clipboard,
  config,
  dateTimePicker,
  deviceInfo,
  expo,
  fastImage,
  firebase,
  flashList,
  fs,
  gestureHandler,
  getRandomValues,
  hapticFeedback,
  imagePicker,
  keyboardController,
  keychain,
  linearGradient,
  localize,
  lottie,
  maps,
  maskedView,
  mmkv,
  netinfo,
  nitro,
  notifee,
  opSqlite,
  pagerView,
  permissions,
  picker,
  purchases,
  restart,
  safeArea,
  screens,
  segmentedControl,
  sentry,
  share,
  skia,
  slider,
  sqliteStorage,
  svg,
  unistyles,
  video,
  visionCamera,
  webview,
  worklets
]
