import { listening } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"
import { view } from "../../views/view.ts"

/** react-native-keyboard-controller: the parts that draw nothing. The keyboard's progress isn't reported. */
export const keyboardController: Pack = {
  components: {
    KeyboardControllerView: view,
    KeyboardGestureArea: view,
    KeyboardBackgroundView: view,
    ClippingScrollViewDecoratorView: view
  },
  partial: () => ({
    KeyboardController: {
      ...listening,
      preload: () => {},
      // Only Android has modes.
      setInputMode: () => {},
      setDefaultMode: () => {},
      dismiss: (keepFocus: unknown) => {
        const { activeElement } = document
        if (keepFocus !== true && activeElement instanceof HTMLElement) activeElement.blur()
      }
    }
  })
}
