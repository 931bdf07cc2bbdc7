import { useCallback, useEffect, useState } from "react"
import { readCatalog } from "./ownFiles"

const unknownHarbour = { name: "Harbour", highWater: "–", wind: "–", channel: "–", gateLimit: 40 }

/** The harbour book: `phase` is "loading", "ready" or "failed"; `move` changes where a vessel is. */
export const useCatalog = () => {
  const [phase, setPhase] = useState("loading")
  const [book, setBook] = useState({ harbour: unknownHarbour, slips: [] })
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    let current = true
    setPhase("loading")
    readCatalog().then(
      (loaded) => {
        if (current) {
          setBook(loaded)
          setPhase("ready")
        }
      },
      () => {
        if (current) {
          setPhase("failed")
        }
      }
    )
    return () => {
      current = false
    }
  }, [attempt])

  const retry = useCallback(() => setAttempt((n) => n + 1), [])
  const move = useCallback(
    (id, status) =>
      setBook((all) => ({ ...all, slips: all.slips.map((slip) => (slip.id === id ? { ...slip, status } : slip)) })),
    []
  )

  return { phase, ...book, retry, move }
}
