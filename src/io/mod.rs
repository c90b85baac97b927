//! FLOOR 2: touches one outside thing a file. No decisions.
