/** Repairs texts of other tools, as the host does with messages. */
export { plainLine, plainLines } from "../../../core/model/plainText.ts"
