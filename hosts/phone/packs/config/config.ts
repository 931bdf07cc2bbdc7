import type { Pack } from "../../modules/Pack.ts"

/** react-native-config: the values are in the binary of an app, and not in its bundle. */
export const config: Pack = {
  partial: ({ notes }) => {
    const getConfig = () => {
      notes.missing("method", "RNCConfigModule.getConfig")
      return { config: {} }
    }
    return { RNCConfigModule: { getConfig } }
  }
}
