import { Schema, Struct } from "effect"
import { commandName } from "../commandName.ts"
import { Account, Bindings, Config, Supplied } from "../Config.ts"

const partial = Struct.map(Schema.optionalKey)

const key = (description: string) => Schema.optionalKey(Schema.NonEmptyString.annotate({ description }))

/** The keys of an account. They may be in the environment instead, and nowhere else. */
const FileKeys = Schema.Struct({
  all: key("A key with all three scopes"),
  builds: key("A key with the scope builds alone"),
  previewUpload: key("A key with the scope preview_upload alone"),
  testRuns: key("A key with the scope test_runs alone"),
  withoutBuilds: key("Of account a, with the other two keys without a scope: a key with preview_upload and test_runs"),
  withoutPreviewUpload: key("A key with the scopes builds and test_runs"),
  withoutTestRuns: key("A key with the scopes builds and preview_upload")
})

const FileAccount = Schema.Struct({ ...Account.mapFields(partial).fields, keys: Schema.optionalKey(FileKeys) })

const FileBindings = Schema.Struct({
  ...Bindings.mapFields(partial).fields,
  bodies: Schema.optionalKey(Bindings.fields.bodies.mapFields(partial))
})

const { pairsOfScopes: _, ...settings } = Config.fields

/** A config file. Missing settings come from the environment, from flags or from the defaults. */
export const ConfigFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  ...Schema.Struct(settings).mapFields(partial).fields,
  accounts: Schema.optionalKey(
    Schema.Struct({ a: Schema.optionalKey(FileAccount), b: Schema.optionalKey(FileAccount) })
  ),
  supplied: Schema.optionalKey(Supplied),
  bindings: Schema.optionalKey(FileBindings)
}).annotate({ title: `Config of ${commandName}` })
export type ConfigFile = typeof ConfigFile.Type

/** The JSON Schema (2020-12) of a config file. */
export const configSchema = (): Readonly<Record<string, unknown>> => {
  const { definitions, dialect: _, schema } = Schema.toJsonSchemaDocument(ConfigFile, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}
