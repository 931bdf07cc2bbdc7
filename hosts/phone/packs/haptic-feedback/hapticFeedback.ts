import { resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"

/** react-native-haptic-feedback */
export const hapticFeedback: Pack = {
  partial: ({ notes }) => {
    const trigger = (): void => notes.line("The app lets itself be felt.")
    return {
      RNHapticFeedback: {
        trigger,
        triggerPattern: trigger,
        stop: () => {},
        isSupported: () => false,
        ...resolving({ playAHAP: trigger, getSystemHapticStatus: { hapticsSupported: false } })
      }
    }
  }
}
