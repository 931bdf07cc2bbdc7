import type { Answer, Json } from "../../session/Exchange.ts"
import { items, members } from "../parts/json.ts"

/** The runs in a list as the reference host answers it. */
export const runsIn = ({ json }: Answer): ReadonlyArray<Json> => items(members(json).testRuns)
