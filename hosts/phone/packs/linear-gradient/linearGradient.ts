import type { Pack } from "../../modules/Pack.ts"
import { linearGradient as gradient } from "../../views/linearGradient.ts"

/** react-native-linear-gradient */
export const linearGradient: Pack = {
  components: { BVLinearGradient: gradient },
  legacy: { BVLinearGradient: { props: "startPoint endPoint colors locations useAngle angleCenter angle" } }
}
