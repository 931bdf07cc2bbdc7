import { html as svg } from "@remix-run/html-template"
import type { Report, Verdict } from "./Report.ts"
import { visible } from "./visible.ts"
import { verdictsIn } from "./words.ts"

const colours: Readonly<Record<Verdict, string>> = { conformant: "#237a3c", partial: "#8a5a00", failed: "#b3261e" }

/** The most serious first. */
const bySeriousness: ReadonlyArray<Verdict> = ["failed", "partial", "conformant"]

const label = "slipway interface"

/** What the badge says: `conformant · builds, previews`, with each verdict's profiles where they differ. */
export const badgeMessage = (report: Pick<Report, "config" | "verdicts">): string =>
  bySeriousness
    .flatMap((verdict) => {
      const names = verdictsIn(report).filter((one) => one.verdict === verdict)
      return names.length === 0 ? [] : [`${verdict} · ${names.map(({ name }) => name).join(", ")}`]
    })
    .join(" | ")

/** About how many pixels wide each of these characters is in Verdana at 11 px. Every other is about 6.7. */
const widths: ReadonlyArray<readonly [characters: RegExp, width: number]> = [
  [/[ijl]/, 3],
  [/[ft,.:|·\s]/, 4],
  [/r/, 4.7],
  [/[csz]/, 5.8],
  [/[mwMW]/, 10]
]

/** About how wide a text is. The badge stretches the text to exactly this width. */
const widthOf = (text: string): number =>
  Math.ceil(
    [...text].reduce(
      (sum, character) => sum + (widths.find(([characters]) => characters.test(character))?.[1] ?? 6.7),
      0
    )
  )

/** The verdict as an SVG image for a README. It loads no font and no other file. */
export const renderBadge = (report: Pick<Report, "config" | "verdicts">): string => {
  const message = visible(badgeMessage(report))
  const worst = bySeriousness.find((verdict) => verdictsIn(report).some((one) => one.verdict === verdict)) ?? "failed"
  const [left, right] = [widthOf(label), widthOf(message)]
  const [labelWidth, messageWidth] = [left + 14, right + 14]
  const width = labelWidth + messageWidth
  return String(svg`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${message}">
<title>${label}: ${message}</title>
<clipPath id="round"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#round)"><path fill="#3f474c" d="M0 0h${labelWidth}v20H0z"/><path fill="${colours[worst]}" d="M${labelWidth} 0h${messageWidth}v20H${labelWidth}z"/></g>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="7" y="14" textLength="${left}">${label}</text>
<text x="${labelWidth + 7}" y="14" textLength="${right}">${message}</text>
</g>
</svg>
`)
}
