/** Skia for an app in a replay: `phoneScript.ts` loads it. */
import { provideSkia } from "../../phone/packs/skia.ts"

provideSkia()
