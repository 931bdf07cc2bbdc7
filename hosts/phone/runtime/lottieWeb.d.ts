/** lottie-web, whose own types lack `setupAnimation`. */
declare module "lottie-web/build/player/lottie_light.js" {
  const lottie: import("./lottie.ts").Lottie
  export default lottie
}
