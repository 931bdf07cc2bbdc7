import { requirements } from "../requirements/index.ts"
import type { Sentence } from "../requirements/Requirement.ts"
import type { CheckResult } from "./Report.ts"

const byId = new Map(requirements.map((one) => [one.id, one]))

/** The sentences of the interface that a check proves. Sentences that this suite doesn't know are left out. */
export const sentencesOf = ({ requirements }: Pick<CheckResult, "requirements">): ReadonlyArray<Sentence> =>
  requirements.flatMap((id) => byId.get(id) ?? [])
