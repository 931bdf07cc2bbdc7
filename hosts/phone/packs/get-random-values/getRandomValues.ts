import type { Pack } from "../../modules/Pack.ts"

/** react-native-get-random-values */
export const getRandomValues: Pack = {
  modules: () => ({
    RNGetRandomValues: {
      getRandomBase64: (count: number) => crypto.getRandomValues(new Uint8Array(count)).toBase64()
    }
  })
}
