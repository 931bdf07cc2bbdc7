import { useState } from "react"
import { Pressable, StyleSheet, Text, View } from "react-native"
import { Button } from "../components/Button.jsx"
import { Card } from "../components/Card.jsx"
import { Heading } from "../components/Heading.jsx"
import { Notice } from "../components/Notice.jsx"
import { Screen } from "../components/Screen.jsx"
import { Tally } from "../components/Tally.jsx"
import { useTheme } from "../parts/theme.js"

/** Counts the people who pass the gate, against the most the pontoon may carry. */
export const CounterScreen = ({ limit }) => {
  const theme = useTheme()
  const [count, setCount] = useState(0)
  const empty = count === 0
  return (
    <Screen>
      <Heading over={`Pontoon carries ${limit}`} title="Gate count" />
      <Card style={styles.card}>
        <Text testID="count" aria-live="polite" style={[styles.count, { color: theme.ink }]}>
          {count}
        </Text>
        <Text style={[styles.unit, { color: theme.muted }]}>{count === 1 ? "person inside" : "people inside"}</Text>
        <Pressable
          accessibilityRole="button"
          accessibilityLabel="Count up"
          testID="count-up"
          onPress={() => setCount((n) => n + 1)}
          style={({ pressed }) => [styles.up, { backgroundColor: theme.accent }, pressed && styles.pressed]}
        >
          <View style={[styles.across, { backgroundColor: theme.onAccent }]} />
          <View style={[styles.down, { backgroundColor: theme.onAccent }]} />
        </Pressable>
        <View style={styles.pair}>
          <Button quiet label="One left" disabled={empty} onPress={() => setCount((n) => n - 1)} style={styles.half} />
          <Button quiet label="Start over" disabled={empty} onPress={() => setCount(0)} style={styles.half} />
        </View>
      </Card>
      {count >= limit && <Notice testID="full" text="The pontoon is full. Close the gate." />}
      <Card>
        <Tally count={count} limit={limit} />
      </Card>
    </Screen>
  )
}

const styles = StyleSheet.create({
  card: { alignItems: "center", paddingTop: 20 },
  count: { fontSize: 88, lineHeight: 96, fontWeight: "800", letterSpacing: -3, fontVariant: ["tabular-nums"] },
  unit: { fontSize: 15, fontWeight: "600" },
  up: {
    width: 96,
    height: 96,
    borderRadius: 48,
    marginVertical: 22,
    alignItems: "center",
    justifyContent: "center",
    boxShadow: "0px 10px 24px rgba(200, 68, 30, 0.28)"
  },
  pressed: { transform: [{ scale: 0.94 }] },
  across: { position: "absolute", width: 34, height: 5, borderRadius: 3 },
  down: { position: "absolute", width: 5, height: 34, borderRadius: 3 },
  pair: { flexDirection: "row", gap: 10, alignSelf: "stretch" },
  half: { flex: 1, paddingHorizontal: 8 }
})
