import lottie from "lottie-web/build/player/lottie_light.js"

/** Provides the player for `loadLottie`, without expressions: it evaluates no text. A script of its own calls this. */
export const provideLottie = (): void => {
  window.lottiePlayer = lottie
}
