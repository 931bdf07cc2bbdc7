import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Account, AccountUsage } from "../model/Account.ts"
import { protect } from "./middleware.ts"

/** Where the account of the key stands. */
export const UsageResponse = Schema.Struct({
  account: Schema.Struct({ id: Account.fields.id, name: Account.fields.name }),
  ...AccountUsage.fields
}).annotate({ identifier: "UsageResponse" })

/** Not part of the interface; see docs/api-behavior.md. */
export class UsageGroup extends protect(
  "any key",
  HttpApiGroup.make("usage")
    .add(
      HttpApiEndpoint.get("read", "/", { success: UsageResponse }).annotateMerge(
        OpenApi.annotations({
          summary: "Read what the account uses",
          description:
            "How many bytes it keeps, and how many bytes, previews and test runs it made in this month (UTC), with the bound of each where it has one."
        })
      )
    )
    .prefix("/api/v1/usage")
) {}
