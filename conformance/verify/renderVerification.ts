import { plain, type Paint } from "../report/paint.ts"
import { oneLine } from "../report/visible.ts"
import { counted } from "../report/words.ts"
import type { Verification } from "./Verification.ts"

const verdictWords = (verdicts: Verification["verdicts"]): string =>
  Object.entries(verdicts)
    .map(([profile, verdict]) => `${oneLine(profile)} ${verdict}`)
    .join(", ")

/** A verification for a terminal: every finding, and last the verdict. */
export const renderVerification = (verification: Verification, paint: Paint = plain): string => {
  const { checks, findings, notes, signedBy, url, verdict, verdicts } = verification
  const of = url === undefined ? "" : ` of ${oneLine(url)}`
  const lines =
    verdict === "confirmed"
      ? [
          paint("good", `✓ Confirmed${of}`),
          `  ${counted(checks, "check")} judged again from the recorded answers: ${verdictWords(verdicts)}.`,
          ...(signedBy === undefined ? [] : [`  Signed by the key ${oneLine(signedBy)}.`]),
          "  Only a run of your own can show whether the target really gave these answers."
        ]
      : [
          paint("bad", `✗ Not confirmed${of}: ${counted(findings.length, "finding")}`),
          ...(checks === 0 ? [] : [`  From the recorded answers follows: ${verdictWords(verdicts)}.`])
        ]
  return [
    ...findings.map(
      ({ about, sentence }) => `${paint("bad", "✗")} ${paint("strong", oneLine(about))}  ${oneLine(sentence)}`
    ),
    ...notes.map((note) => `${paint("warning", "!")} ${oneLine(note)}`),
    ...lines,
    ""
  ].join("\n")
}
