import { constants } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { insets, isDark } from "../../runtime/device.ts"

/** react-native-bootsplash: there is no splash screen to be hidden. */
export const bootsplash: Pack = {
  partial: () => ({
    RNBootSplash: {
      ...constants({
        darkModeEnabled: isDark(),
        logoSizeRatio: 1,
        navigationBarHeight: 0,
        statusBarHeight: insets().top
      }),
      hide: async () => {},
      isVisible: () => false
    }
  })
}
