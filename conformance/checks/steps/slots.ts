import { Effect } from "effect"
import type { Reserved } from "../../dialect/Dialect.ts"
import { must, testedBy } from "../../dialect/Violation.ts"

/** Requires that each slot has this member, as a text. The check of that has the id `check`. */
export const eachSlotHas = ({ slots }: Reserved, member: "contentType" | "objectKey", check: string) =>
  testedBy(check)(
    Effect.forEach(slots, ({ json }) => {
      const { [member]: value = "It had none." } = json
      return must(typeof json[member] === "string" && value !== "", `A slot has ${member} beside its putUrl.`, value)
    })
  )
