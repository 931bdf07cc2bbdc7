/** The part of lottie-web that the pack uses: it draws the frames of an animation as SVG. */
export interface Lottie {
  readonly loadAnimation: (options: { readonly container: Element; readonly autoplay: false }) => LottieAnimation
}

export interface LottieAnimation {
  readonly addEventListener: (name: "error", failed: () => void) => unknown
  /** Draws it; what is wrong with it is thrown, or an event. */
  readonly setupAnimation: (animation: object) => void
  readonly goToAndStop: (frame: number, isFrame: true) => void
  readonly destroy: () => void
}
