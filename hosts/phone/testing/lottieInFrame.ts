/** Runs in the document of an app with Lottie animations: their player, which `inFrame.ts` loads. */
import { provideLottie } from "../runtime/provideLottie.ts"

provideLottie()
