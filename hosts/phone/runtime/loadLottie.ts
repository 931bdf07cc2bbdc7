import { loadScript } from "./loadScript.ts"
import type { Lottie } from "./lottie.ts"

declare global {
  interface Window {
    /** Set by `provideLottie.ts`. */
    lottiePlayer?: Lottie
  }
}

let loading: Promise<Lottie> | undefined

const load = async (url: string): Promise<Lottie> => {
  const missing = "The player of Lottie animations could not be loaded: they are not drawn."
  await loadScript(url, missing)
  const player = window.lottiePlayer
  if (player === undefined) throw new Error(missing)
  return player
}

/** Loads lottie-web once, which is large and which few apps use, by a script that calls `provideLottie`. */
export const loadLottie = (url: string): Promise<Lottie> => (loading ??= load(url))
