//! What is in the way of work and kills nobody: it comes, lasts for a while, over the death of the daemon if need be, and
//! goes.

use super::kills::{Hindrance, Kills};
use super::team::{LOW_DISK, NO_ROOM};
use super::world::World;
use std::io;
use std::time::Duration;

/// How often an order is given before it is a finding that it is not followed: the daemon may be busy with its disk.
const ORDERS_MAX: u32 = 20;
/// Between two of them.
const REST: Duration = Duration::from_millis(250);
/// A setting is taken up within this time, and is in force for as long at least.
const TAKEN_UP: Duration = Duration::from_millis(400);
/// What a full disk has left, at most: little enough that some of what is written does not fit.
const LEFT_MAX: u64 = 600 << 10;

impl Kills {
    /// Puts it there for so long; sometimes the daemon dies meanwhile and is started again. What was done, in words, and
    /// whether it killed.
    pub(super) async fn hinder(
        &mut self,
        hindrance: Hindrance,
        time: Duration,
        world: &mut World,
    ) -> io::Result<(String, bool)> {
        let restart = self.chance.percent(40);
        let agent = self.chance.pick(&world.names()).cloned().unwrap_or_default();
        match hindrance {
            Hindrance::Halt => self.order(world, &["stop", "--all"]).await?,
            Hindrance::Rest => self.order(world, &["agent", "stop", &agent]).await?,
            Hindrance::LowDisk => {
                world.set_low_disk(NO_ROOM)?;
                tokio::time::sleep(TAKEN_UP).await;
            }
            Hindrance::FullDisk => {
                let left = self.chance.below(LEFT_MAX);
                world.disk.iter().try_for_each(|disk| disk.fill(left))?;
            }
        }
        tokio::time::sleep(time / 2).await;
        if restart {
            world.kill_daemon().await;
            self.start(world).await?;
        }
        tokio::time::sleep(time / 2).await;
        match hindrance {
            Hindrance::Halt => self.order(world, &["stop", "--off"]).await?,
            Hindrance::Rest => self.order(world, &["agent", "start", &agent]).await?,
            Hindrance::LowDisk => world.set_low_disk(LOW_DISK)?,
            Hindrance::FullDisk => world.disk.iter().try_for_each(|disk| disk.free())?,
        }
        let words = hindrance.words();
        Ok((if restart { format!("{words}, and the daemon") } else { words.into() }, restart))
    }

    /// Gives an order as a person does, again until it is followed.
    async fn order(&mut self, world: &mut World, order: &[&str]) -> io::Result<()> {
        let mut why = String::new();
        for _ in 0..ORDERS_MAX {
            match world.order(order).await {
                Ok(()) => return Ok(()),
                Err(said) => why = said,
            }
            tokio::time::sleep(REST).await;
        }
        self.odd(world, format!("`tasuki {}` was not followed: {why}", order.join(" "))).await
    }
}
