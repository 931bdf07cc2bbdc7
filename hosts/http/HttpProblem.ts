import { Schema } from "effect"
import { NotAcceptable, UnsupportedMediaType } from "../../core/api/middleware.ts"
import { Problem, problemClass } from "../../core/model/Problem.ts"

/** The path is there, but not for this method; `allow` lists those it has. */
export class MethodNotAllowed extends problemClass<MethodNotAllowed>()(
  "MethodNotAllowed",
  405,
  "method_not_allowed",
  "Method not allowed",
  { allow: Schema.Array(Schema.String) }
) {}

/** Every refusal that a host answers: those of the service, and those that come of speaking HTTP. */
export const HttpProblem = Schema.Union([...Problem.members, MethodNotAllowed, NotAcceptable, UnsupportedMediaType])
export type HttpProblem = typeof HttpProblem.Type
