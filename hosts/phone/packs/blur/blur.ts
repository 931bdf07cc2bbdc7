import type { Pack } from "../../modules/Pack.ts"
import { blur as blurred } from "../../views/blur.ts"

/** @react-native-community/blur */
export const blur: Pack = { components: { BlurView: blurred, VibrancyView: blurred } }
