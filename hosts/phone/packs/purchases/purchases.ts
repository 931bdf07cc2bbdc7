import { ignoring } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"

/** react-native-purchases: it is configured, and knows nothing of what was bought: each question rejects. */
export const purchases: Pack = {
  partial: () => ({
    RNPurchases: ignoring(
      "setupPurchases setLogLevel setLogHandler setDebugLogsEnabled setAttributes setProxyURLString"
    )
  })
}
