import { createHash } from "node:crypto"
import { requirements } from "./index.ts"
import type { Sentence } from "./Requirement.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What a sentence says and how binding it is, as lower-case hex SHA-256. */
export const sentenceDigest = ({ id, level, section, text }: Sentence): string =>
  sha256(JSON.stringify([id, section, level, text]))

/** The whole interface as the suite reads it, in whatever order its sentences stand: lower-case hex SHA-256. */
export const interfaceDigest: string = sha256(JSON.stringify(requirements.map(sentenceDigest).toSorted()))
