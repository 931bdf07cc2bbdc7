/** The player of Lottie animations for an app in a replay: `phoneScript.ts` loads it. */
import { provideLottie } from "../../phone/runtime/provideLottie.ts"

provideLottie()
