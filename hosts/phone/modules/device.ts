import type { AppFunction } from "../runtime/decode.ts"
import {
  appleLocale,
  chooseScheme,
  device as shown,
  dimensions,
  insets,
  isDark,
  onDark,
  reading
} from "../runtime/device.ts"
import { versionIn } from "../../../core/rules/reactNative.ts"
import { makeBezel } from "../views/bezel.ts"
import { listening, type Host, type Modules } from "./Host.ts"

const appearance = ({ callable, surface }: Host) => {
  const scheme = () => (isDark() ? "dark" : "light")
  onDark(() => {
    callable.emit("appearanceChanged", { colorScheme: scheme() })
    surface.repaint()
  })
  return {
    ...listening,
    getColorScheme: scheme,
    setColorScheme: (wanted: unknown): void =>
      chooseScheme(wanted === "dark" || wanted === "light" ? wanted : undefined)
  }
}

/** How often is looked whether the page can still be seen, in milliseconds. */
const often = 500

const appState = ({ callable }: Host) => {
  const state = () => (document.visibilityState === "visible" ? "active" : "background")
  let emitted = state()
  // A document that listens to this itself is let finish by the browser before it goes, which one that loops never does.
  setInterval(() => {
    if (emitted === state()) return
    emitted = state()
    callable.emit("appStateDidChange", { app_state: emitted })
  }, often)
  return {
    ...listening,
    getConstants: () => ({ initialAppState: state() }),
    getCurrentAppState: (callback: AppFunction) => callback({ app_state: state() })
  }
}

/** The first version that receives a modal's end from the modal itself. */
const firstListener = 74

/** Notifies older versions of a modal's end. */
const modalManager = ({ bundle, callable, events }: Host) => {
  if (versionIn(bundle).minor < firstListener) {
    events.listen(({ name }, event, payload) => {
      if (name === "ModalHostView" && event === "topDismiss") callable.emit("modalDismissed", payload)
    })
  }
  return listening
}

/** The properties of the device that the app reads. */
export const device: Modules = (host) => {
  const version = versionIn(host.bundle)
  const bezel = makeBezel()
  const darken = (): void => void document.documentElement.classList.toggle("dark", isDark())
  onDark(darken)
  darken()
  return {
    PlatformConstants: {
      getConstants: () => ({
        isTesting: false,
        isDisableAnimations: false,
        reactNativeVersion: { ...version, prerelease: null },
        forceTouchAvailable: false,
        osVersion: "18.0",
        systemName: "iOS",
        interfaceIdiom: shown()?.kind ?? "phone",
        isMacCatalyst: false
      })
    },
    DeviceInfo: {
      getConstants: () => ({ Dimensions: dimensions(), isIPhoneX_deprecated: false, isEdgeToEdge: false })
    },
    Appearance: appearance(host),
    AppState: appState(host),
    StatusBarManager: {
      ...listening,
      getConstants: () => ({ HEIGHT: insets().top, DEFAULT_BACKGROUND_COLOR: 0 }),
      getHeight: (callback: AppFunction) => callback({ height: insets().top }),
      setStyle: bezel.setStyle,
      setHidden: bezel.setHidden,
      setNetworkActivityIndicatorVisible: () => {}
    },
    I18nManager: {
      getConstants: () => ({
        isRTL: reading.isRtl,
        doLeftAndRightSwapInRTL: true,
        localeIdentifier: appleLocale()
      }),
      allowRTL: () => {},
      forceRTL: (isForced: boolean): void => {
        if (isForced === reading.isRtl) return
        location.hash = isForced ? "rtl" : ""
        host.notes.line("The direction changes when the app is next started, as on a phone.")
      },
      swapLeftAndRightInRTL: () => {}
    },
    DevSettings: {
      ...listening,
      reload: host.restart,
      reloadWithReason: host.restart,
      onFastRefresh: () => {},
      setHotLoadingEnabled: () => {},
      setProfilingEnabled: () => {},
      toggleElementInspector: () => {},
      addMenuItem: () => {},
      setIsShakeToShowDevMenuEnabled: () => {}
    },
    ModalManager: modalManager(host)
  }
}
