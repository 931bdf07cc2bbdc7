import { Schema } from "effect"

/** An administration command that can't be executed; `message` tells the administrator why. Nothing was changed. */
export class AdministrationRefused extends Schema.TaggedError<AdministrationRefused>()("AdministrationRefused", {
  message: Schema.String
}) {}
