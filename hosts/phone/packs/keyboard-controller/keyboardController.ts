import type { Pack } from "../../modules/Pack.ts"
import { view } from "../../views/view.ts"

/** react-native-keyboard-controller: what it draws nothing of its own for. How far the keyboard has come isn't told. */
export const keyboardController: Pack = {
  components: {
    KeyboardControllerView: view,
    KeyboardGestureArea: view,
    KeyboardBackgroundView: view,
    ClippingScrollViewDecoratorView: view
  }
}
