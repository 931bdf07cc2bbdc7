/** The native modules of the device and of the person in front of it. */
import { versionIn } from "../../../core/rules/bundleFormat.ts"
import { fieldsIn, type AppFunction, type Fields } from "../runtime/decode.ts"
import {
  appleLocale,
  chooseScheme,
  device as shown,
  dimensions,
  hasReducedMotion,
  insets,
  isAndroid,
  isDark,
  locale,
  onDark,
  onReducedMotion,
  pressBack,
  reading,
  setStartFlag,
  system
} from "../runtime/device.ts"
import { clipboard } from "../runtime/storage.ts"
import { element } from "../views/Component.ts"
import { makeBezel } from "../views/screen.ts"
import { androidModules } from "./android.ts"
import { eventMethods, type Host, type Modules } from "./Host.ts"

/** The properties of the device that the app reads. */
export const device: Modules = (host) => {
  const version = versionIn(host.bundle)
  const bezel = makeBezel(pressBack)
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
      getConstants: () => ({
        Dimensions: dimensions(),
        isIPhoneX_deprecated: false,
        isEdgeToEdge: isAndroid() && !system.isAboveNavigationBar
      })
    },
    Appearance: appearance(host),
    AppState: appState(host),
    StatusBarManager: {
      ...eventMethods,
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
        setStartFlag("rtl", isForced)
        host.notes.line("The direction changes when the app is next started, as on a phone.")
      },
      swapLeftAndRightInRTL: () => {}
    },
    DevSettings: {
      ...eventMethods,
      reload: host.restart,
      reloadWithReason: host.restart,
      onFastRefresh: () => {},
      setHotLoadingEnabled: () => {},
      setProfilingEnabled: () => {},
      toggleElementInspector: () => {},
      addMenuItem: () => {},
      setIsShakeToShowDevMenuEnabled: () => {}
    },
    ModalManager: modalManager(host),
    ...androidModules(host, bezel)
  }
}

const appearance = ({ callable, surface }: Host) => {
  const scheme = () => (isDark() ? "dark" : "light")
  onDark(() => {
    callable.emit("appearanceChanged", { colorScheme: scheme() })
    surface.repaint()
  })
  return {
    ...eventMethods,
    getColorScheme: scheme,
    setColorScheme: (requested: unknown): void =>
      chooseScheme(requested === "dark" || requested === "light" ? requested : undefined)
  }
}

const appState = ({ callable }: Host) => {
  const state = () => (document.visibilityState === "visible" ? "active" : "background")
  let emitted = state()
  // A document that listens to this itself is let finish by the browser before it goes, which one that loops never does.
  setInterval(() => {
    if (emitted === state()) return
    emitted = state()
    callable.emit("appStateDidChange", { app_state: emitted })
  }, visibilityInterval)
  return {
    ...eventMethods,
    getConstants: () => ({ initialAppState: state() }),
    getCurrentAppState: (callback: AppFunction) => callback({ app_state: state() })
  }
}

/** How often is looked whether the page can still be seen, in milliseconds. */
const visibilityInterval = 500

/** Notifies older versions of a modal's end. */
const modalManager = ({ bundle, callable, events }: Host) => {
  if (versionIn(bundle).minor < firstVersionWithDismiss) {
    events.listen(({ name }, event, payload) => {
      if (name === "ModalHostView" && event === "topDismiss") callable.emit("modalDismissed", payload)
    })
  }
  return eventMethods
}

/** The first version that receives a modal's end from the modal itself. */
const firstVersionWithDismiss = 74

/** What people set up for themselves: what a browser knows of it; and what is read out to them. */
export const accessibility: Modules = ({ callable, surface }) => {
  onReducedMotion(() => callable.emit("reduceMotionChanged", hasReducedMotion()))
  const spoken = element("")
  spoken.setAttribute("aria-live", "polite")
  spoken.style.cssText = "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
  const announce = (text: string): void => {
    if (spoken.parentElement === null) document.documentElement.append(spoken)
    spoken.textContent = text
  }
  const focus = (tag: number): void => {
    const target = surface.tree.byTag.get(tag)?.drawing.element
    if (target instanceof HTMLElement) target.focus()
  }
  const no = callingBack(() => false)
  return {
    AccessibilityManager: {
      getCurrentBoldTextState: no,
      getCurrentGrayscaleState: no,
      getCurrentInvertColorsState: no,
      getCurrentReduceMotionState: callingBack(hasReducedMotion),
      getCurrentDarkerSystemColorsState: no,
      getCurrentPrefersCrossFadeTransitionsState: no,
      getCurrentReduceTransparencyState: no,
      getCurrentVoiceOverState: no,
      setAccessibilityContentSizeMultipliers: () => {},
      setAccessibilityFocus: focus,
      announceForAccessibility: announce,
      announceForAccessibilityWithOptions: announce
    },
    ...(isAndroid()
      ? {
          AccessibilityInfo: {
            isReduceMotionEnabled: callingBack(hasReducedMotion),
            isInvertColorsEnabled: no,
            isHighTextContrastEnabled: no,
            isGrayscaleEnabled: no,
            isTouchExplorationEnabled: no,
            isAccessibilityServiceEnabled: no,
            getRecommendedTimeoutMillis: (time: unknown, callback: AppFunction) => void callback(time),
            setAccessibilityFocus: focus,
            announceForAccessibility: announce
          }
        }
      : {})
  }
}

const callingBack =
  (value: () => boolean) =>
  (callback: (value: boolean) => void): void =>
    callback(value())

/** The app's actions outside of itself on the phone: shown on the page, and done as far as a replay may. */
export const personal: Modules = ({ notes }) => {
  const settings: Record<string, unknown> = {
    AppleLocale: appleLocale(),
    AppleLanguages: [...new Set([locale(), ...navigator.languages])]
  }
  return {
    Clipboard: {
      getConstants: () => ({}),
      getString: async () => clipboard.text,
      setString: (text: unknown): void => {
        clipboard.text = String(text)
      }
    },
    LinkingManager: {
      ...eventMethods,
      getInitialURL: async () => null,
      canOpenURL: async () => true,
      openURL: async (url: unknown) => {
        notes.line(`The app opens ${String(url)}; a replay leads nowhere.`)
        return true
      },
      openSettings: async () => notes.line("The app opens its settings; a replay has none.")
    },
    ShareModule: {
      getConstants: () => ({}),
      share: async (content: Fields) => {
        notes.line(`The app shares “${String(content["message"])}”; a replay passes it on to nobody.`)
        return { action: "sharedAction" }
      }
    },
    SettingsManager: {
      getConstants: () => ({ settings }),
      setValues: (values: unknown): void => {
        Object.assign(settings, fieldsIn(values))
      },
      deleteValues: (names: ReadonlyArray<string>): void => {
        for (const name of names) Reflect.deleteProperty(settings, name)
      }
    },
    Vibration: {
      getConstants: () => ({}),
      vibrate: () => notes.line("The app lets the phone vibrate."),
      vibrateByPattern: () => notes.line("The app lets the phone vibrate."),
      cancel: () => {}
    }
  }
}
