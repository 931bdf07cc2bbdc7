import { keepingMutants } from "./keeping.ts"
import { leakingMutants } from "./leaking.ts"
import { toMutants } from "./Mutant.ts"
import { receivingMutants } from "./receiving.ts"
import { urlMutants } from "./urls.ts"

/** Stores that keep objects, or read them, wrongly. */
export const storageMutants = [...toMutants("", keepingMutants), ...leakingMutants]

/** Stores that take PUTs wrongly, or sign wrong URLs. */
export const putMutants = [...toMutants("", receivingMutants), ...toMutants("", urlMutants)]

/** Adapters of the object store with one fault each. */
export const objectMutants = [...storageMutants, ...putMutants]
