import { toLambda } from "slipway/hosts/http"
import { slipway } from "./slipway.ts"

// For a function URL or an HTTP API, and for a schedule of EventBridge, such as each minute.
export const handler = toLambda(slipway)
