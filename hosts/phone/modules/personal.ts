import { fieldsIn, type Fields } from "../runtime/decode.ts"
import { appleLocale, locale } from "../runtime/device.ts"
import { clipboard } from "../runtime/clipboard.ts"
import { listening, type Modules } from "./Host.ts"

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
      ...listening,
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
