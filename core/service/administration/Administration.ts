import { Context, Effect, Layer } from "effect"
import { makeAccountCommands } from "./accounts.ts"
import type { AllCommands } from "./Commands.ts"
import { makeDeletionCommands } from "./deletions.ts"
import { makeErasureCommands } from "./erasures.ts"
import { makeKeyCommands } from "./keys.ts"
import { makeRepositoryCommands } from "./repositories.ts"
import { makeRetentionCommands } from "./retention.ts"
import { makeShareLinkCommands } from "./shareLinks.ts"
import { makeWebhookCommands } from "./webhooks.ts"

/**
 * What an administrator does: accounts, keys, links of repositories, share links, usage.
 *
 * Revocation, expiry and unlinking take effect on the next request, on every host.
 */
export class Administration extends Context.Service<Administration, AllCommands>()(
  "slipway/core/service/Administration"
) {
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      return Administration.of({
        ...(yield* makeAccountCommands),
        ...(yield* makeKeyCommands),
        ...(yield* makeRepositoryCommands),
        ...(yield* makeShareLinkCommands),
        ...(yield* makeDeletionCommands),
        ...(yield* makeErasureCommands),
        ...(yield* makeRetentionCommands),
        ...(yield* makeWebhookCommands)
      })
    })
  )
}
