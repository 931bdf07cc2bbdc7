import { useCallback, useEffect, useState } from "react"

const unknownHarbour = { name: "Harbour", highWater: "–", wind: "–", channel: "–", gateLimit: 40 }

const fetchCatalog = async () => {
  const response = await fetch("./assets/catalog.json")
  if (!response.ok) {
    throw new Error(`The harbour book answered ${response.status}`)
  }
  return response.json()
}

/** The harbour book: `phase` is "loading", "ready" or "failed"; `move` changes where a vessel is. */
export const useCatalog = () => {
  const [phase, setPhase] = useState("loading")
  const [book, setBook] = useState({ harbour: unknownHarbour, slips: [] })
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    let current = true
    setPhase("loading")
    fetchCatalog().then(
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
