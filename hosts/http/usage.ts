import { Effect } from "effect"
import { UsageGroup } from "../../core/api/usage.ts"
import { Usage } from "../../core/service/Usage.ts"
import { endpoints } from "./endpoints.ts"

/** Where the account of a key stands, over the service. */
export const layer = endpoints(
  UsageGroup,
  Effect.map(Usage, (usage) => ({
    read: ({ caller }) =>
      Effect.map(usage.read(caller), (read) => ({
        account: { id: caller.account.id, name: caller.account.name },
        ...read
      }))
  }))
)
